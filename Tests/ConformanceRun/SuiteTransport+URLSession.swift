import HttpConversationConformance

extension SuiteTransport {
    /// Of URLSession on Linux (swift-corelibs-foundation of Swift 6.3, over curl). Those that may end the process run in one
    /// of their own.
    var exclusionsOfURLSession: [ConformanceExclusion] {
        [
            ConformanceExclusion(
                "contract.status-305",
                because: "FoundationNetworking takes a 305 for a redirect and loses it"),
            ConformanceExclusion(
                "requests.asterisk",
                because: "a URLRequest cannot ask about a whole server"),
            ConformanceExclusion(
                "requests.framing-fields",
                because: "curl opens another connection after a request with a body"),
            ConformanceExclusion(
                "requests.nothing-added",
                because: "FoundationNetworking adds Accept-Language"),
            ConformanceExclusion(
                "requests.accept-encoding",
                because: "FoundationNetworking sets Accept-Encoding itself"),
            ConformanceExclusion(
                "heads.http-2-0-as-text", "heads.a-version-in-lower-case", "heads.a-control-character-in-a-value",
                "heads.cr-alone-in-a-value", "heads.a-cut-status-line", "heads.no-reason",
                "heads.a-reason-with-spaces-and-latin-1", "heads.latin-1-in-a-value", "heads.no-space-after-the-colon",
                "heads.values",
                because: "curl and FoundationNetworking read heads in their own way, and do not show what they read"),
            ConformanceExclusion(
                "heads.a-cut-head", "heads.a-head-without-its-empty-line", "framing.trailers",
                "framing.trailers-are-no-fields", "reuse.begun-is-not-repeated", "surplus.after-trailers",
                because:
                    "FoundationNetworking ends the process: it trusts curl to show a whole head (NativeProtocol.swift)",
                runsAlone: passesAlone),
            ConformanceExclusion(
                "framing.nearly-chunked", "framing.a-chunk-size-that-overflows", "framing.the-same-length-twice",
                "framing.a-list-of-the-same-length", "framing.the-same-length-in-all-ways",
                because:
                    "curl frames by itself, more leniently than RFC 9112, and shows no length that it did not believe"),
            ConformanceExclusion(
                "expectations.asked-for", "expectations.unanswered",
                because: "FoundationNetworking neither waits for 100 Continue nor shows it"),
            ConformanceExclusion(
                "reuse.uploads-too", "reuse.post-is-not-repeated", "reuse.one-shot-is-not-repeated",
                "reuse.misdirected", "reuse.misdirected-twice",
                because: "curl chooses connections, and repeats requests, by itself"),
            ConformanceExclusion(
                "coding.two-members", "coding.empty-members", "coding.cut-gzip", "coding.unknown", "coding.behind-zlib",
                "coding.behind-gzip", "coding.not-wanted", "coding.asked-for-by-the-caller", "coding.cut-to-the-end",
                because: "curl undoes codings by itself"),
            ConformanceExclusion(
                "limits.a-large-field", "limits.a-long-name", "limits.a-long-reason", "limits.a-large-interim-response",
                "limits.large-trailers",
                because: "curl has limits of its own"),
            ConformanceExclusion(
                "cancellation.before",
                because: "FoundationNetworking does not end an exchange at once here"),
            ConformanceExclusion(
                "tls.trusted-localhost",
                because: "FoundationNetworking's errors do not tell this apart"),
        ]
    }
}
