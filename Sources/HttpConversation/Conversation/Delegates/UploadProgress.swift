/// The progress of a request's body.
public struct UploadProgress: Hashable, Sendable {
    /// The number of bytes that were sent in this pass.
    public let sent: Int
    /// The number of bytes of the whole body; nil if unknown, as for a stream without a length until it has ended. Some
    /// transports do not tell its end.
    public let total: Int?
    /// The number of the pass: 1 at first, and one more each time the body starts again, such as after a login, a
    /// redirect or a lost connection.
    public let pass: Int

    /// Creates a progress.
    public init(sent: Int, total: Int?, pass: Int = 1) {
        self.sent = sent
        self.total = total
        self.pass = pass
    }
}
