# One static binary, and the certificates that a history in PostgreSQL over TLS needs.
#   docker build --build-arg VERSION=v1.2.0 -t tribunal .
#   docker run --rm --user "$(id -u)" -v "$PWD:/work" tribunal report trials.ndjson -o html=report.html
FROM golang:1.26.8-bookworm AS build
ARG VERSION=
ARG COMMIT=
ARG DATE=
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -o /tribunal -ldflags "-s -w \
    -X tribunal/command.releaseVersion=$VERSION -X tribunal/command.releaseCommit=$COMMIT -X tribunal/command.releaseDate=$DATE" .

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /tribunal /usr/bin/tribunal
WORKDIR /work
USER 65532:65532
ENTRYPOINT ["/usr/bin/tribunal"]
CMD ["--help"]
