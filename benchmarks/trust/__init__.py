"""Does calibration keep its word: intervals, false trust, published figures, its speed; and the sample's labels."""
