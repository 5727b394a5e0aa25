#if os(Linux)
import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation

/// The origins of the documents that a login's frames show.
struct FrameOrigins {
    private var shown: [String: Origin] = [:]
    /// The frames that are loading another document, which may arrive before its event.
    private var leaving: Set<String> = []

    /// Notes that another document was requested.
    mutating func leave(_ frame: String) { leaving.insert(frame) }

    /// Notes that a document has arrived: `Page.frameNavigated`.
    mutating func arrive(_ frame: JSONValue?) {
        guard let id = frame?["id"]?.text else { return }
        leaving.remove(id)
        shown[id] = frame?["securityOrigin"]?.text.flatMap { try? TargetURL($0).origin }
    }

    /// The origin of a frame's document; nil for an unknown one and for a document without an address.
    func origin(of frame: String) -> Origin? { isLoading(frame) ? nil : shown[frame] }

    /// Whether a frame is loading another document.
    func isLoading(_ frame: String) -> Bool { leaving.contains(frame) }

    /// Whether a request comes from a document of its own server.
    ///
    /// The request's `Referer` must not contradict: a page can suppress it, but not forge it. While another document is
    /// loading, it must be present, and also for an early request, which that document or the one before may have sent.
    func isOwn(_ request: PausedRequest, isEarly: Bool = false) -> Bool {
        let server = request.target.origin
        guard let frame = request.frame, shown[frame] == server else { return false }
        if let origin = request.fields[.origin], origin != "\(server)" { return false }
        guard let referer = request.fields[.referer] else { return !isEarly && !leaving.contains(frame) }
        return (try? TargetURL(referer).origin) == server
    }
}
#endif
