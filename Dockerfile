# The app for everybody, as an ordinary user and in public mode:
#   docker build -t zslcore . && docker run -p 8501:8501 -v zslcore:/data zslcore
# Deep methods need PyTorch, most of a gigabyte: --build-arg EXTRAS=app,maps,torch
FROM python:3.11-slim AS build
ARG EXTRAS=app,maps
COPY . /src
RUN python -m venv --without-pip /opt/zslcore
RUN pip --python /opt/zslcore/bin/python install --no-cache-dir --no-compile -q -c /src/constraints.txt "/src[$EXTRAS]"
# Test suites of libraries and files for notebooks: a tenth of the image, and nothing imports them
RUN find /opt/zslcore/lib -type d -name tests -path '*/site-packages/*' -prune -exec rm -r {} + && rm -rf /opt/zslcore/share

FROM python:3.11-slim
COPY --from=build /opt/zslcore /opt/zslcore
RUN useradd --uid 1000 --create-home zslcore && install -d -o zslcore /data
USER zslcore
WORKDIR /data
VOLUME /data
ENV PATH=/opt/zslcore/bin:$PATH ZSL_DATA=/data ZSL_PUBLIC=1 NUMBA_CACHE_DIR=/tmp/numba
EXPOSE 8501
HEALTHCHECK --start-period=60s CMD python -c "import urllib.request as r; r.urlopen('http://127.0.0.1:8501/_stcore/health')"
CMD ["zslcore", "app", "--headless", "--address", "0.0.0.0", "--port", "8501"]
