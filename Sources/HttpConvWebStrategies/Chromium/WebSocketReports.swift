#if os(Linux)
import HttpConvFormats

/// The browser's reports about the WebSockets of a login. DevTools cannot hold what a WebSocket sends.
struct WebSocketReports {
    /// The URLs of the open WebSockets, by session and id.
    private var addresses: [String: String] = [:]
    private static let maximumOpen = 1_000

    /// Returns what a WebSocket has sent, in the form of a request for ``EnteredValues``; nil if it has sent nothing.
    mutating func sent(_ event: DevToolsEvent) -> JSONValue? {
        guard let id = event.parameters["requestId"]?.text else { return nil }
        let key = "\(event.session ?? "") \(id)"
        switch event.method {
        case "Network.webSocketCreated":
            guard let url = event.parameters["url"]?.text, url.hasPrefix("ws") else { return nil }
            let address = "http\(url.dropFirst(2))"
            if addresses.count < Self.maximumOpen { addresses[key] = address }
            return .object(["url": .string(address)])
        case "Network.webSocketWillSendHandshakeRequest":
            // A page chooses the names of subprotocols.
            guard let address = addresses[key], let fields = event.parameters["request"]?["headers"] else { return nil }
            return .object(["url": .string(address), "headers": fields])
        case "Network.webSocketFrameSent":
            guard let message = event.parameters["response"], let payload = message["payloadData"]?.text else {
                return nil
            }
            // A WebSocket without a known URL may lead anywhere.
            let address = JSONValue.string(addresses[key] ?? "http:")
            // A text, or binary data in Base64.
            return message["opcode"]?.number == 1
                ? .object(["url": address, "postData": .string(payload)])
                : .object(["url": address, "postDataEntries": .array([.object(["bytes": .string(payload)])])])
        case "Network.webSocketClosed": addresses[key] = nil
        default: break
        }
        return nil
    }
}
#endif
