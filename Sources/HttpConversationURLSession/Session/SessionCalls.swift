import Dispatch

/// Performs calls of a URLSession that block their thread on Linux.
///
/// FoundationNetworking blocks a thread that creates, resumes or cancels a task while any session of the process waits
/// for a piece of a request body. The source of that body may need the blocked thread, if tasks run on it: then both
/// would wait for ever.
final class SessionCalls: Sendable {
    #if canImport(FoundationNetworking)
    private let queue = DispatchQueue(label: "HttpConversationURLSession")

    /// Performs a call after the earlier ones, and not on the caller's thread.
    func perform(_ call: @escaping @Sendable () -> Void) { queue.async(execute: call) }
    #else
    /// Performs a call at once: an application that is suspended directly afterwards loses nothing.
    func perform(_ call: @escaping @Sendable () -> Void) { call() }
    #endif
}
