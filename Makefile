# The same targets as .ci/run, which also runs where make is missing.
steps = setup ray browser ocr lock compile lint types imports test explore full conformance wheel sample model

.PHONY: all help lock-files pins $(steps)

all:
	.ci/run

help:
	@echo "make: all, $(steps), lock-files (write requirement files), pins (pin a new contract version)"

$(steps):
	.ci/run $@

lock-files:
	.ci/run locks

pins:
	.ci/run pins
