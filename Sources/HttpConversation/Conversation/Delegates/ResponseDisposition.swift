/// A ``ConversationDelegate``'s decision about a final response's body.
public enum ResponseDisposition: Sendable {
    /// The caller gets the body.
    case allow
    /// The body is not wanted: the exchange ends, and the conversation fails with ``ConversationError/Code/cancelled``.
    case cancel
    /// The body goes into a sink, complete or not at all; then the caller gets the response with no bytes. The
    /// conversation and its id stay the same. `HttpConvFiles` has a variant with the URL of a file.
    ///
    /// A download that has a destination already keeps it. A response whose status is not a success is not written, nor is
    /// a part (206) that the request did not ask for. In these cases this means ``allow``.
    case becomeDownload(into: any ResponseBodySink)
}
