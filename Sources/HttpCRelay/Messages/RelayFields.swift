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

    /// The fields that the relay replaces, or that belong to it. It logs in by itself, so cookies and credentials of the
    /// client would mix two persons.
    private static let ofRequestsDropped: Set<String> = [
        "host", "expect", "cookie", "cookie2", "authorization", "accept-encoding", "origin", "referer",
        RelayKeys.field.lowercased(),
    ]

    /// The fields of a request to the target.
    ///
    /// - Parameter authority: the relay's own `host:port`
    static func request(
        _ headers: HTTPHeaders, at place: RelayPlace, _ authority: String, _ keys: RelayKeys?
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
        // Ranges count the bytes as sent, so these are not to be compressed on the way.
        if fields.contains(.range) { fields.append(try HTTPField(checking: "Accept-Encoding", "identity")) }
        return fields
    }

    /// The target's URL for a page of the relay; nil for other pages, whose URLs the target must not learn.
    private static func referer(
        _ values: [String], at place: RelayPlace, _ authority: String, _ keys: RelayKeys?
    ) -> String? {
        guard values.count == 1, let value = values.first, value.starts(withBytesOf: "http://\(authority)/") else {
            return nil
        }
        var path = value.dropFirst("http://\(authority)".count).prefix(upToASCII: "#")
        let first = path.dropFirst().prefix(upToASCII: "/?")
        if let keys, keys.isSecret(first) { path = path[first.endIndex...] }
        return place.url(of: path)?.absoluteString
    }

    // MARK: Answers

    /// The fields that concern the browser's relation to the target's own origin, or that would give away what stays
    /// with the relay.
    private static let ofAnswersDropped: Set<String> = [
        "set-cookie", "set-cookie2", "www-authenticate", "authentication-info", "strict-transport-security", "alt-svc",
        "clear-site-data", "service-worker-allowed", "referrer-policy", "location", "content-location", "refresh",
        "public-key-pins", "public-key-pins-report-only", "nel", "report-to", "reporting-endpoints",
    ]

    /// The fields of an answer to the client, without those that frame it.
    ///
    /// - Parameters:
    ///   - url: the URL that answered
    ///   - base: the begin of local paths
    static func answer(_ fields: HTTPFields, from url: TargetURL, at place: RelayPlace, base: String) -> HTTPHeaders {
        let named = namesOfConnection(fields[values: .connection])
        var headers = HTTPHeaders()
        for field in fields {
            let name = field.name.canonicalName
            guard !ofConnection.contains(name), !ofAnswersDropped.contains(name), !named.contains(name),
                !name.starts(withBytesOf: "access-control-"), !field.value.hasControlsBesidesTab
            else { continue }
            headers.add(name: field.name.rawName, value: field.value)
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
    static func switching(_ fields: HTTPFields, from url: TargetURL, at place: RelayPlace, base: String) -> HTTPHeaders
    {
        var headers = answer(fields, from: url, at: place, base: base)
        headers.add(name: "Upgrade", value: "websocket")
        headers.add(name: "Connection", value: "Upgrade")
        return headers
    }

    /// The local form of a URL in an answer: a path of the relay, or the whole URL if it is elsewhere.
    static func location(_ value: String, from url: TargetURL, at place: RelayPlace, base: String) -> String? {
        guard let target = try? url.resolving(value), target.userinfo == nil else { return nil }
        return place.path(of: target).map { base + $0 } ?? target.absoluteString
    }

    private static func namesOfConnection(_ values: [String]) -> Set<String> {
        Set(values.flatMap { $0.split(ascii: ",") }.map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() })
    }
}
