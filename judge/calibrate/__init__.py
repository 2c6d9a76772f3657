"""Labels and a judge to a calibration record, and the record held against a run."""
