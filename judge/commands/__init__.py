"""One module a command, in folders by what a person is about; `options` holds the flags that several share."""
