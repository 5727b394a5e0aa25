/// How far the body of a request is.
public struct UploadProgress: Hashable, Sendable {
    /// The number of bytes that were sent in this pass.
    public let sent: Int
    /// The number of bytes of the whole; nil where nobody knows, as of a stream without a length.
    public let total: Int?
    /// Which time the body is sent: 1 for the first, one more wherever it starts again, such as after a login, a redirect
    /// or a connection that was lost.
    public let pass: Int

    /// Describes how far a body is.
    public init(sent: Int, total: Int?, pass: Int = 1) {
        self.sent = sent
        self.total = total
        self.pass = pass
    }
}
