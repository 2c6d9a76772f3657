"""Result folder -> files for people and pipelines: the reports and CI annotations."""
