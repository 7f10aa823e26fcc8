"""What a run or a net came to, for people: diagnoses, ratings, a page to look at."""
