/// What becomes of a final response's body, as a ``ConversationDelegate`` decides.
public enum ResponseDisposition: Sendable {
    /// It goes to the caller.
    case allow
    /// Nobody wants it: the exchange ends, and the conversation in ``ConversationError/Code/cancelled``.
    case cancel
    /// It goes into a sink, complete or not at all, and the caller gets the response with no bytes, once that is done. The
    /// conversation stays the same one, its id too. `HttpConvFiles` has the same with the URL of a file.
    ///
    /// A download that has its place already stays where it is, and of a response whose status is no success nothing is
    /// written: there this is ``allow``.
    case becomeDownload(into: any ResponseBodySink)
}
