/// The faults of the origin ``LandscapeOrigin/multiplexed`` at `/fault/NAME`.
public enum StreamFault: String, Sendable, CaseIterable {
    /// Every other request: the server sends GOAWAY without processing the request.
    case goAway = "goaway"
    /// The server sends GOAWAY, and answers the open requests.
    case lastAnswer = "last-answer"
    /// Every other request: its stream is refused.
    case refused
    /// The stream is reset in the middle of the body.
    case reset
    /// The stream is reset: too many requests.
    case calm
    /// The body stops in its middle.
    case stall
    /// The server grants no window for the request's body beyond the first one.
    case window
    /// The server requires HTTP/1.1.
    case http1
    /// Every other request: the server asks for another connection (421).
    case misdirected
    /// Two thousand SETTINGS frames.
    case settings
    /// Two thousand PING frames.
    case pings
    /// The connection breaks in the middle of the body.
    case cut

    /// The text for the table of contents.
    var text: String {
        switch self {
        case .goAway: "every other request: GOAWAY, not looked at"
        case .lastAnswer: "GOAWAY, then the answer"
        case .refused: "every other request: RST_STREAM, REFUSED_STREAM"
        case .reset: "RST_STREAM in the middle of the body"
        case .calm: "RST_STREAM, ENHANCE_YOUR_CALM"
        case .stall: "half a body, and no more"
        case .window: "takes one window of the request's body"
        case .http1: "RST_STREAM, HTTP_1_1_REQUIRED"
        case .misdirected: "every other request: 421"
        case .settings: "2000 SETTINGS frames"
        case .pings: "2000 PING frames"
        case .cut: "the connection ends in the middle of the body"
        }
    }
}
