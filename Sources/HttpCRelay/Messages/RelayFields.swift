import HttpC
import HttpConvFormats
import NIOHTTP1

/// The header fields that go through a relay. Lists name the dropped fields, because programs use fields of their own.
enum RelayFields {
    /// The fields of a single connection (RFC 9110 §7.6.1), and those that frame a message.
    private static let ofConnection: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization",
        "proxy-authentication-info", "te", "trailer", "transfer-encoding", "upgrade", "content-length",
        "http2-settings",
    ]

    // MARK: Requests

    /// The fields that the relay replaces, or that belong to it. It logs in by itself, so cookies and credentials of
    /// the client would mix two persons.
    private static let ofRequestsDropped: Set<String> = [
        "host", "expect", "cookie", "cookie2", "authorization", "accept-encoding", "origin", "referer",
        "destination", "if", RelayKeys.field.lowercased(),
    ]

    /// The fields of a request to the target, without `Accept-Encoding`.
    ///
    /// - Parameter authority: the relay's own `host:port`
    static func request(
        _ headers: HTTPHeaders, at place: TargetDirectory, _ authority: String, _ keys: RelayKeys?
    ) throws(ConversationError) -> HTTPFields {
        let named = namesOfConnection(headers["Connection"])
        var fields = HTTPFields()
        for (name, value) in headers {
            let lowercased = name.lowercased()
            guard !ofConnection.contains(lowercased), !ofRequestsDropped.contains(lowercased),
                !named.contains(lowercased)
            else { continue }
            fields.append(try HTTPField(checking: name, value))
        }
        if !headers["Origin"].isEmpty { fields.append(try HTTPField(checking: "Origin", "\(place.origin)")) }
        if let referer = referer(headers["Referer"], at: place, authority, keys) {
            fields.append(try HTTPField(checking: "Referer", referer))
        }
        for value in headers["Destination"] {
            let own = (try? TargetURL(value)).flatMap { place.contains($0) ? $0 : nil }
            guard let url = target(value, at: place, authority, keys) ?? own else {
                throw ConversationError(
                    .invalidRequest,
                    "The Destination leads outside the relay's target: name a URL below it, or the relay's URL for one."
                )
            }
            fields.append(try HTTPField(checking: "Destination", url.absoluteString))
        }
        for value in headers["If"] {
            fields.append(try HTTPField(checking: "If", condition(value, at: place, authority, keys)))
        }
        if fields.contains(where: { $0.value.hasLostBytes }) {
            throw ConversationError(
                .invalidRequest, "A field has bytes that are not UTF-8, which the relay cannot pass on: encode them.")
        }
        if let keys, fields.contains(where: { $0.value.contains(keys.secret.value) }) {
            throw ConversationError(
                .invalidRequest, "A field has the relay's secret, which the target must not learn: send it in the URL.")
        }
        return fields
    }

    /// The `Accept-Encoding` of requests whose answers are passed on without undoing a content coding.
    static let identity = "identity"

    /// Whether a client asks for no content coding (RFC 9110 §12.5.3). A client without `Accept-Encoding` wants the
    /// file as it is.
    static func wantsIdentity(_ codings: [Substring]) -> Bool {
        let wanted = codings.map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }
        return wanted.allSatisfy { $0.isEmpty || isRefused($0) || $0.prefix(upToASCII: ";") == identity }
    }

    private static func isRefused(_ coding: String) -> Bool {
        guard let (_, weight) = coding.cut(atASCII: ";") else { return false }
        return ["q=0", "q=0.", "q=0.0", "q=0.00", "q=0.000"].contains(weight)
    }

    /// The target's URL for a page of the relay; nil for other pages, whose URLs the target must not learn.
    private static func referer(
        _ values: [String], at place: TargetDirectory, _ authority: String, _ keys: RelayKeys?
    ) -> String? {
        guard values.count == 1, let value = values.first?.prefix(upToASCII: "#"), value.first != "/" else {
            return nil
        }
        return target(String(value), at: place, authority, keys)?.absoluteString
    }

    /// The target's URL for a URL or path of the relay, with or without its secret; nil for others.
    private static func target(
        _ value: String, at place: TargetDirectory, _ authority: String, _ keys: RelayKeys?
    ) -> TargetURL? {
        let origin = "http://\(authority)"
        guard value.starts(withBytesOf: "/") || value.starts(withBytesOf: origin + "/") else { return nil }
        var path = value.starts(withBytesOf: "/") ? Substring(value) : value.dropFirst(origin.count)
        let first = path.dropFirst().prefix(upToASCII: "/?")
        if let keys, keys.isSecret(first) { path = path[first.endIndex...] }
        return place.url(of: path.isEmpty ? "/" : path)
    }

    /// The conditions of WebDAV, with the target's URLs in place of the relay's. Both lock tokens and resources are
    /// between angle brackets (RFC 4918 §10.4).
    private static func condition(
        _ value: String, at place: TargetDirectory, _ authority: String, _ keys: RelayKeys?
    ) -> String {
        replacingURLs(in: value) { target($0, at: place, authority, keys)?.absoluteString }
    }

    /// Replaces the URLs between angle brackets, outside quotes. A URL without a replacement stays.
    private static func replacingURLs(in value: String, by replacement: (String) -> String?) -> String {
        var (result, rest, isQuoted) = ("", Substring(value), false)
        while let (before, after) = rest.cut(atASCII: "<") {
            for byte in before.utf8 where byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            result += before + "<"
            rest = after
            guard !isQuoted, let (url, next) = after.cut(atASCII: ">") else { continue }
            result += (replacement(String(url)) ?? String(url)) + ">"
            rest = next
        }
        return result + rest
    }

    // MARK: Answers

    /// Whether an answer has content codings, and only those that the relay undoes.
    static func areUndone(_ fields: HTTPFields) -> Bool {
        let codings = fields[values: .contentEncoding].flatMap { $0.split(ascii: ",") }.map {
            $0.trimmingBlanks.lowercased()
        }
        return !codings.isEmpty && codings.allSatisfy { ["gzip", "x-gzip", "deflate"].contains($0) }
    }

    /// The fields about the bytes of the coded body, which are wrong once its codings are undone: ranges count those,
    /// and digests are of those (RFC 9530 §2).
    private static let ofCodings: Set<String> = [
        "content-encoding", "accept-ranges", "content-md5", "content-digest", "repr-digest", "digest",
    ]

    /// The fields that would be wrong for the relay's origin, or that would reveal something that the relay keeps to
    /// itself.
    private static let ofAnswersDropped: Set<String> = [
        "set-cookie", "set-cookie2", "www-authenticate", "authentication-info", "strict-transport-security", "alt-svc",
        "clear-site-data", "service-worker-allowed", "referrer-policy", "location", "content-location", "refresh",
        "public-key-pins", "public-key-pins-report-only", "nel", "report-to", "reporting-endpoints",
    ]

    /// The fields of an answer to the client, without those that frame it.
    ///
    /// - Parameters:
    ///   - url: the URL that answered
    ///   - base: the prefix of local paths
    ///   - isDecoded: whether the body's content codings are undone
    static func answer(
        _ fields: HTTPFields, from url: TargetURL, at place: TargetDirectory, base: String, isDecoded: Bool = false
    ) -> HTTPHeaders {
        let named = namesOfConnection(fields[values: .connection])
        var headers = HTTPHeaders()
        for field in fields {
            let name = field.name.canonicalName
            guard !ofConnection.contains(name), !ofAnswersDropped.contains(name), !named.contains(name),
                !name.starts(withBytesOf: "access-control-"), !isDecoded || !ofCodings.contains(name),
                !field.value.hasControlsBesidesTab, !field.value.hasLostBytes
            else { continue }
            let value =
                name == "link"
                ? replacingURLs(in: field.value) { location($0, from: url, at: place, base: base) } : field.value
            headers.add(name: field.name.rawName, value: value)
        }
        for name in [HTTPField.Name.location, .contentLocation] {
            // Several of them are ambiguous.
            let values = fields[values: name]
            guard values.count == 1, let value = values.first,
                let location = location(value, from: url, at: place, base: base)
            else { continue }
            headers.add(name: name.rawName, value: location)
        }
        headers.add(name: "Referrer-Policy", value: "no-referrer")
        return headers
    }

    /// The fields of the answer that changes to WebSocket. The client checks those of the handshake.
    static func switching(_ fields: HTTPFields, from url: TargetURL, at place: TargetDirectory, base: String)
        -> HTTPHeaders
    {
        var headers = answer(fields, from: url, at: place, base: base)
        headers.add(name: "Upgrade", value: "websocket")
        headers.add(name: "Connection", value: "Upgrade")
        return headers
    }

    /// The schemes whose URLs are programs or content that a page might make, or files.
    private static let activeSchemes: Set<String> = ["javascript", "data", "vbscript", "blob", "filesystem", "file"]

    /// The local form of a URL in an answer: a path of the relay, or the whole URL if it is elsewhere. URLs of other
    /// programs, such as `myapp://done`, stay as they are.
    static func location(_ value: String, from url: TargetURL, at place: TargetDirectory, base: String) -> String? {
        guard !value.hasLostBytes else { return nil }
        if let scheme = scheme(of: value), !["http", "https"].contains(scheme) {
            return activeSchemes.contains(scheme) || value.hasControlsBesidesTab ? nil : value
        }
        guard let target = try? url.resolving(value), target.userinfo == nil else { return nil }
        return place.path(of: target).map { base + $0 } ?? target.absoluteString
    }

    /// The scheme of a URL (RFC 3986 §3.1); nil for a relative one.
    private static func scheme(of value: String) -> String? {
        guard let (scheme, _) = value.cut(atASCII: ":"), scheme.utf8.first?.isASCIILetter == true,
            scheme.utf8.allSatisfy(\.isSchemeByte)
        else { return nil }
        return scheme.lowercased()
    }

    private static func namesOfConnection(_ values: [String]) -> Set<String> {
        Set(values.flatMap { $0.split(ascii: ",") }.map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() })
    }
}
