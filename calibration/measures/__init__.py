"""What is measured of one judge on one rubric: each module takes the sample and gives figures, none decides."""
