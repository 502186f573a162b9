"""What judges the steps of a solution: an exact judge of its own, and the questions that a language model is asked."""
