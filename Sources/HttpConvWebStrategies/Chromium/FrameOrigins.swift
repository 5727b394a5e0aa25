#if os(Linux)
import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation

/// The origins of the documents that a login's frames show.
struct FrameOrigins {
    private var shown: [String: Origin] = [:]
    /// The frames that are loading another document, which may arrive before its event, with the document's request.
    private var leaving: [String: String] = [:]

    /// The frames with an embedded document, and the frame of the document that it is in.
    private var parents: [String: String] = [:]

    /// Notes that a document has got an embedded frame: `Page.frameAttached`.
    mutating func attach(_ frame: String, to parent: String) { parents[frame] = parent }

    /// The origins of the documents that a frame's document is in; nil for an unknown one.
    func ancestors(of frame: String) -> [Origin?] {
        var result: [Origin?] = []
        var next = parents[frame]
        while let parent = next, result.count < 100 {
            result.append(origin(of: parent))
            next = parents[parent]
        }
        return result
    }

    /// Notes that another document was requested.
    ///
    /// - Parameter document: the id of its request in the Network domain
    mutating func leave(_ frame: String, for document: String? = nil) { leaving[frame] = document ?? "" }

    /// Notes that no document came of a request: it failed, or the answer was a download or empty (204).
    mutating func stay(without document: String) { leaving = leaving.filter { $0.value != document } }

    /// Notes that a document has arrived: `Page.frameNavigated`.
    mutating func arrive(_ frame: JSONValue?) {
        guard let id = frame?["id"]?.text else { return }
        leaving[id] = nil
        shown[id] = frame?["securityOrigin"]?.text.flatMap { try? TargetURL($0).origin }
    }

    /// The origin of a frame's document; nil for an unknown one and for a document without an address.
    func origin(of frame: String) -> Origin? { isLoading(frame) ? nil : shown[frame] }

    /// Whether a frame is loading another document.
    func isLoading(_ frame: String) -> Bool { leaving[frame] != nil }

    /// Whether a request comes from a document of its own server.
    ///
    /// The request's `Referer` must not contradict: a page can suppress it, but not forge it. It must be present while
    /// another document is loading, and for an early request, which either document may have sent.
    func isOwn(_ request: PausedRequest, isEarly: Bool = false) -> Bool {
        let server = request.target.origin
        guard let frame = request.frame, shown[frame] == server else { return false }
        if let origin = request.fields[.origin], origin != "\(server)" { return false }
        guard let referer = request.fields[.referer] else { return !isEarly && !isLoading(frame) }
        return (try? TargetURL(referer).origin) == server
    }
}
#endif
