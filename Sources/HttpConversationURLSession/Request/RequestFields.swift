import HTTPTypes
import HttpConversation

/// The header section of a request: the caller's fields, one text per name. URLSession adds the framing.
struct RequestFields {
    private(set) var fields: [String: String] = [:]
    /// The names in use, by lower-case name: names are case-insensitive.
    private var names: [String: String] = [:]

    init(
        _ request: TransportRequest, _ payload: OutgoingRequest.Payload,
        _ configuration: URLSessionTransport.Configuration
    ) {
        var asksToContinue = false
        for field in request.headerFields {
            switch field.name.canonicalName {
            case "host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "upgrade",
                "proxy-connection", "proxy-authorization":
                continue
            case "expect":
                asksToContinue = field.value.lowercased() == "100-continue"
                if !asksToContinue { add(field) }
            default: add(field)
            }
        }
        addMissing("Accept", "*/*")
        addMissing("User-Agent", "HttpConversation")
        // A range counts the bytes as sent: a part of a compressed body cannot be decoded.
        if !request.options.decompresses || request.headerFields.contains(.range) {
            addMissing("Accept-Encoding", "identity")
        }
        if case .none = payload { return }
        addType()
        if Self.expects(request.body, payload, asksToContinue, configuration) { addMissing("Expect", "100-continue") }
        #if !canImport(FoundationNetworking)
        // URLSession does not know the length of a stream.
        if case .streamed(let body) = payload, let length = body.length { addMissing("Content-Length", "\(length)") }
        #endif
    }

    /// The fields of a background transfer. The system adds the framing of the file.
    static func ofTransfer(_ request: TransportRequest, _ kind: BackgroundLabel.Kind) -> [String: String] {
        var fields = RequestFields(request, .none, .init())
        if kind == .upload { fields.addType() }
        return fields.fields
    }

    /// URLSession would add the type of a form. Without a type, this one is the default (RFC 9110 §8.3).
    private mutating func addType() { addMissing("Content-Type", "application/octet-stream") }

    private mutating func add(_ field: HTTPField) {
        let key = field.name.canonicalName
        let name = names[key] ?? field.name.rawName
        names[key] = name
        guard let before = fields[name] else { return fields[name] = field.value }
        fields[name] = before + (key == "cookie" ? "; " : ", ") + field.value
    }

    private mutating func addMissing(_ name: String, _ value: String) {
        if names[name.lowercased()] == nil { fields[name] = value }
    }

    /// Whether to ask before the body is sent (RFC 9110 §10.1.1): for a one-shot body, or a large one.
    private static func expects(
        _ body: RequestBody?, _ payload: OutgoingRequest.Payload, _ asked: Bool,
        _ configuration: URLSessionTransport.Configuration
    ) -> Bool {
        switch payload {
        case .none: false
        case .whole(let data): asked || data.count >= configuration.expectContinueThreshold
        case .streamed(let streamed):
            asked || body?.isRestartable == false
                || (streamed.length ?? .max) >= configuration.expectContinueThreshold
        }
    }
}
