# loan-judge with Tesseract, so that pages without a text layer can be searched (`judge run --ocr`).
#   docker build -t loan-judge .
#   docker run --rm -v "$PWD:/work" -e OPENAI_API_KEY loan-judge run sample/batch.jsonl
FROM python:3.11-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends tesseract-ocr tesseract-ocr-eng \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/loan-judge
COPY requirements.lock ./
RUN python -m pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md ./
COPY rubrics ./rubrics
COPY deterministic ./deterministic
COPY calibration ./calibration
COPY judge ./judge
RUN python -m pip install --no-cache-dir --no-deps --no-build-isolation .
RUN useradd --create-home judge
USER judge
WORKDIR /work
ENTRYPOINT ["judge"]
CMD ["--help"]
