#if os(Linux)
import HttpConvAuthFlows
import HttpConvFormats
import HttpConvPlatform

/// An event from the browser.
struct DevToolsEvent: Sendable {
    /// The name, such as `Page.loadEventFired`.
    let method: String
    let parameters: JSONValue
    /// The page or frame that it comes from; nil for the browser itself.
    let session: String?
}

/// The browser's error for a command that it could not perform.
struct DevToolsError: Error, CustomStringConvertible {
    let method: String
    let message: String
    var description: String { "\(method): \(message)" }
}

/// A message of the browser: an answer to a command, or an event.
struct DevToolsMessage: Decodable {
    struct Failure: Decodable {
        let message: String
    }

    let id: Int?
    let method: String?
    let params: JSONValue?
    let sessionId: String?
    let result: JSONValue?
    let error: Failure?
}

/// A command in its wire form.
struct DevToolsCommand: Encodable {
    let id: Int
    let method: String
    let params: [String: JSONValue]
    let sessionId: String?
}
#endif
