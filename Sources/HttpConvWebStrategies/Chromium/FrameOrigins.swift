#if os(Linux)
import HttpConvAuthFlows
import HttpConversation

/// Whose documents the frames of a login show.
struct FrameOrigins {
    private var shown: [String: Origin] = [:]
    /// Where another document is on its way, and may be there before it is told.
    private var leaving: Set<String> = []

    /// Another document was asked for.
    mutating func leave(_ frame: String) { leaving.insert(frame) }

    /// A document is there: `Page.frameNavigated`.
    mutating func arrive(_ frame: JSONValue?) {
        guard let id = frame?["id"]?.text else { return }
        leaving.remove(id)
        shown[id] = frame?["securityOrigin"]?.text.flatMap { try? TargetURL($0).origin }
    }

    /// Whether a request comes from a document of the server that it goes to.
    ///
    /// What the browser says about where it comes from must not contradict: a page can keep that back, and not forge it.
    /// While another document is on its way, it has to be said.
    func isOwn(_ request: PausedRequest) -> Bool {
        let server = request.target.origin
        guard let frame = request.frame, shown[frame] == server else { return false }
        guard let referer = request.fields[.referer] else { return !leaving.contains(frame) }
        return (try? TargetURL(referer).origin) == server
    }
}
#endif
