FROM python:3.12-slim AS build
WORKDIR /build
COPY requirements.lock ./
RUN python -m venv /opt/loci \
 && /opt/loci/bin/pip install --no-cache-dir --no-deps --require-hashes -r requirements.lock
COPY . .
RUN /opt/loci/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.12-slim
RUN useradd --create-home --uid 10001 loci && install -d -o loci -g loci /data
COPY --from=build /opt/loci /opt/loci
USER loci
ENV PATH=/opt/loci/bin:$PATH PYTHONUNBUFFERED=1 LOCI_HOME=/data HOST=0.0.0.0 PORT=8000
WORKDIR /home/loci
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=5 \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
CMD ["loci", "serve", "--make-key"]
