"""The layer probe: where inside a vision-language model a perturbed word becomes the expected one (FaithC4 §4.2).

`pages` draws the pages, `layers` records what the layers do, `patches` finds a word among the picture's tokens, `run`
asks the model, `results` makes the tables, `figure` draws them.
"""
