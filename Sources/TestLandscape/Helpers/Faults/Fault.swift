/// A fault of a response, see ``Landscape/inject(_:at:on:times:)``.
public struct Fault: Sendable {
    /// The kinds of faults.
    public enum Kind: Sendable {
        /// Waits before the request is answered.
        case delay(Duration)
        /// Closes the connection without a byte.
        case cutBeforeHead
        /// Resets the connection (TCP RST) without a byte.
        case resetBeforeHead
        /// Closes the connection in the middle of a field name.
        case cutMidHead
        /// Declares a length, sends less, and closes.
        case cutMidBody(declared: Int, sent: Int)
        /// Ends a chunked body without its last chunk.
        case cutMidChunks
        /// Answers normally, and closes without having announced it.
        case closeAfterResponse
        /// Answers normally and closes if no further request arrives for that long.
        case closeWhenIdle(Duration)
        /// Answers something that is not HTTP.
        case garbage
        /// Answers with a head of that many bytes.
        case oversizedHead(bytes: Int)
        /// Answers with two `Content-Length` fields that differ.
        case conflictingLengths
        /// Answers with `Transfer-Encoding: chunked` together with `Content-Length`.
        case lengthAndChunks
        /// Answers with that many interim responses, then a final one.
        case informationalFlood(count: Int)
        /// Answers with an unrequested 101.
        case unaskedUpgrade
        /// Answers normally, then sends bytes that belong to no response.
        case bytesAfterResponse([UInt8])
        /// Answers with terminal escape sequences in the reason phrase.
        case escapesInReason
        /// Answers with a script of bytes.
        case script(WireScript)
    }

    /// The kind of the fault.
    public let kind: Kind

    /// A fault of that kind.
    public init(_ kind: Kind) {
        self.kind = kind
    }

    /// The faults by the names in the admin API and in `/fault/NAME`.
    public static let named: [String: Fault] = [
        "delay": Fault(.delay(.milliseconds(500))),
        "cut-before-head": Fault(.cutBeforeHead),
        "reset-before-head": Fault(.resetBeforeHead),
        "cut-mid-head": Fault(.cutMidHead),
        "cut-mid-body": Fault(.cutMidBody(declared: 1000, sent: 100)),
        "cut-mid-chunks": Fault(.cutMidChunks),
        "close-after-response": Fault(.closeAfterResponse),
        "close-when-idle": Fault(.closeWhenIdle(.milliseconds(50))),
        "garbage": Fault(.garbage),
        "oversized-head": Fault(.oversizedHead(bytes: 1 << 20)),
        "conflicting-lengths": Fault(.conflictingLengths),
        "length-and-chunks": Fault(.lengthAndChunks),
        "informational-flood": Fault(.informationalFlood(count: 1000)),
        "unasked-upgrade": Fault(.unaskedUpgrade),
        "bytes-after-response": Fault(.bytesAfterResponse(Array("HTTP/1.1 200 OK\r\n".utf8))),
        "escapes-in-reason": Fault(.escapesInReason),
    ]
}
