"""The judge model: rubric questions become prompts, prompts become requests, replies become answers. The only part of the program that
talks to a network."""
