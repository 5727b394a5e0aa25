import HttpConversationConformance

extension SuiteTransport {
    /// The exclusions of URLSession on Linux (swift-corelibs-foundation of Swift 6.3, over curl).
    var exclusionsOfURLSession: [ConformanceExclusion] { exclusionsOfFoundation + exclusionsOfCurl }

    /// The time after which an endless case has failed.
    private var patience: Duration { .seconds(4) }

    private var exclusionsOfFoundation: [ConformanceExclusion] {
        [
            ConformanceExclusion(
                "contract.status-305",
                because: "FoundationNetworking takes a 305 for a redirect and loses it"),
            ConformanceExclusion(
                "requests.asterisk",
                because: "a URLRequest cannot ask about a whole server"),
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
                    "ends the process: FoundationNetworking trusts curl to show a whole head, and nothing after it",
                failsAlone: endsItsProcess),
            ConformanceExclusion(
                "interim.a-flood-of-interim-responses", "limits.many-fields", "limits.many-trailers",
                because: "FoundationNetworking copies what it has of a head with each of its lines",
                failsAlone: failsAlone),
            ConformanceExclusion(
                "expectations.asked-for", "expectations.unanswered",
                because: "FoundationNetworking neither waits for 100 Continue nor shows it"),
            ConformanceExclusion(
                "expectations.failed",
                because: "FoundationNetworking neither waits for 100 Continue nor shows it", within: patience),
            ConformanceExclusion(
                "uploads.read-as-it-is-sent", "earlyAnswers.waiting-source", "earlyAnswers.early-2xx-goes-on",
                "earlyAnswers.whole-2xx-goes-on",
                "cancellation.while-sending",
                because: "FoundationNetworking waits for the next piece of a body, and does nothing else meanwhile",
                within: patience),
            ConformanceExclusion(
                "timeouts.before-the-head", "timeouts.in-the-head", "timeouts.after-an-interim-response",
                "timeouts.handshake",
                because: "until the first sign of the server the limits for connecting and for waiting are one",
                within: patience),
            ConformanceExclusion(
                "tls.trusted-localhost", "tls.trusted-127-0-0-1", "tls.cut-without-closing",
                because: "FoundationNetworking trusts the system's roots and no others"),
        ]
    }

    private var exclusionsOfCurl: [ConformanceExclusion] {
        [
            ConformanceExclusion(
                "requests.framing-fields",
                because: "curl opens another connection after a request with a body"),
            ConformanceExclusion(
                "framing.nearly-chunked", "framing.a-chunk-size-that-overflows", "framing.the-same-length-twice",
                "framing.a-list-of-the-same-length", "framing.the-same-length-in-all-ways",
                because:
                    "curl frames by itself, more leniently than RFC 9112, and shows no length that it did not believe"),
            ConformanceExclusion(
                "reuse.uploads-too", "reuse.post-is-not-repeated", "reuse.one-shot-is-not-repeated",
                "reuse.misdirected", "reuse.misdirected-twice", "reuse.timeout-answer", "reuse.timeout-answer-twice",
                because: "curl chooses connections, and repeats requests, by itself"),
            ConformanceExclusion(
                "surplus.after-the-last-chunk", "surplus.after-an-empty-body", "surplus.head-with-a-body",
                "surplus.head-with-chunks", "surplus.head-with-a-body-to-the-end", "surplus.204-with-a-body",
                "surplus.304-with-a-body", "surplus.bytes-while-idle", "surplus.response-while-idle",
                because: "curl looks at an idle connection when it wants to use it again, and closes it then",
                within: patience),
            ConformanceExclusion(
                "surplus.more-than-announced", "surplus.one-byte", "surplus.a-line", "surplus.a-second-response",
                "surplus.the-start-of-a-second-response", "surplus.an-interim-response-after",
                "surplus.a-second-response-with-a-conflict",
                because:
                    "curl closes a connection at once where it reads the surplus together with the body, by chance",
                within: patience, isCertain: false),
            ConformanceExclusion(
                "coding.raw-deflate", "coding.raw-deflate-in-pieces",
                because: "curl undoes it where it reads the whole body at once, by chance", isCertain: false),
            ConformanceExclusion(
                "coding.two-members", "coding.empty-members", "coding.cut-gzip", "coding.unknown", "coding.behind-zlib",
                "coding.behind-gzip", "coding.unknown-on-redirect", "coding.not-wanted",
                "coding.asked-for-by-the-caller", "coding.cut-to-the-end",
                because: "curl undoes codings by itself"),
        ]
    }
}
