import HttpConvFormats

/// The header fields whose values may be shown, apart from the parts that ``ValueRedaction`` removes (security rule
/// S20): one list for logs, transcripts, exports and terminals.
///
/// Deliberately missing, although registered: proofs (`Signature`, `DPoP`, `Replay-Nonce`, `Sec-WebSocket-Key`), keys
/// to something (`Lock-Token`, `Last-Event-ID`), hashes from which a small body can be guessed (`Content-Digest`,
/// `Content-MD5`), fields in which clients are known to put tokens (`Sec-WebSocket-Protocol`), and fields that may
/// contain anything (`Tracestate`, `SLUG`, `From`).
enum HarmlessFields {
    static func contains(_ canonicalName: String) -> Bool {
        names.contains(canonicalName) || prefixes.contains { canonicalName.starts(withBytesOf: $0) }
    }

    /// Families with an open set of members.
    private static let prefixes = [
        "access-control-", "ratelimit-", "sec-ch-", "sec-fetch-", "x-rate-limit-", "x-ratelimit-",
    ]

    private static let names = Set([
        // The message and its content (RFC 9110, RFC 9112)
        "accept", "accept-ch", "accept-charset", "accept-datetime", "accept-encoding", "accept-language",
        "accept-patch",
        "accept-post", "accept-query", "accept-ranges", "allow", "connection", "content-disposition",
        "content-encoding", "content-language", "content-length", "content-range", "content-type", "date", "expect",
        "host", "keep-alive", "max-forwards", "mime-version", "pragma", "prefer", "preference-applied", "priority",
        "proxy-connection", "range", "retry-after", "server", "te", "trailer", "transfer-encoding", "upgrade",
        "user-agent", "via", "want-content-digest", "want-repr-digest", "warning", "x-requested-with",
        // Caches (RFC 9111, RFC 9211)
        "age", "alt-used", "cache-control", "cache-status", "cdn-cache-control", "cdn-loop", "cf-cache-status", "etag",
        "expires", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "last-modified",
        "no-vary-search", "surrogate-control", "vary", "x-cache", "x-cache-hits", "x-cache-lookup", "x-cache-status",
        "x-served-by", "x-timer", "x-varnish", "x-vercel-cache",
        // Security policies
        "clear-site-data", "content-security-policy", "content-security-policy-report-only",
        "cross-origin-embedder-policy", "cross-origin-embedder-policy-report-only", "cross-origin-opener-policy",
        "cross-origin-opener-policy-report-only", "cross-origin-resource-policy", "expect-ct", "feature-policy",
        "origin", "origin-agent-cluster", "permissions-policy", "referrer-policy", "strict-transport-security",
        "timing-allow-origin", "upgrade-insecure-requests", "x-content-type-options", "x-dns-prefetch-control",
        "x-download-options", "x-frame-options", "x-permitted-cross-domain-policies", "x-robots-tag", "x-ua-compatible",
        "x-xss-protection",
        // Origin of a request, as servers and proxies tell each other
        "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-port", "x-forwarded-prefix",
        "x-forwarded-proto", "x-forwarded-server", "x-forwarded-user", "x-http-method", "x-http-method-override",
        "x-method-override", "x-original-method", "x-real-ip", "x-remote-user",
        // Ids and timing of a request
        "b3", "cf-ray", "client-request-id", "correlation-id", "fly-request-id", "nel", "request-id", "server-timing",
        "traceparent", "x-amz-cf-id", "x-amz-cf-pop", "x-amz-id-2", "x-amz-request-id", "x-amzn-requestid",
        "x-amzn-trace-id", "x-azure-ref", "x-b3-flags", "x-b3-parentspanid", "x-b3-sampled", "x-b3-spanid",
        "x-b3-traceid", "x-cloud-trace-context", "x-correlation-id", "x-correlationid",
        "x-envoy-upstream-service-time", "x-github-request-id", "x-kong-proxy-latency", "x-kong-upstream-latency",
        "x-ms-client-request-id", "x-ms-request-id", "x-nf-request-id", "x-request-id", "x-response-time", "x-runtime",
        "x-trace-id", "x-vcap-request-id", "x-vercel-id",
        // Limits and paging
        "ratelimit", "x-next-page", "x-page", "x-per-page", "x-prev-page", "x-total", "x-total-count", "x-total-pages",
        // Software and versions of the peer
        "api-version", "deprecation", "proxy-status", "sunset", "x-api-version", "x-aspnet-version",
        "x-aspnetmvc-version", "x-backend-server", "x-generator", "x-github-media-type", "x-ms-version",
        "x-powered-by",
        // Links among other data: their destinations are redacted
        "alt-svc", "link", "refresh",
        // OData, WebDAV, SAP
        "com.sap.cloud.security.login", "dataserviceversion", "dav", "depth", "maxdataserviceversion",
        "mindataserviceversion", "odata-isolation", "odata-maxversion", "odata-version", "overwrite", "sap-client",
        "sap-language", "sap-metadata-last-modified", "sap-perf-fesrec", "sap-processing-info", "sap-server",
        // Early hints, sockets, clients
        "device-memory", "dnt", "downlink", "dpr", "early-data", "ect", "rtt", "save-data", "sec-gpc", "sec-purpose",
        "sec-websocket-extensions", "sec-websocket-version", "viewport-width", "width",
    ])
}
