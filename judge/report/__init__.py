"""Result folder -> files for people and pipelines: report.html, junit.xml, results.sarif, summary.md, CI annotations."""
