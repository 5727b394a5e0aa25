extension WireScript {
    /// The script of a fault that replaces the response; nil if the response is made normally.
    init?(fault: Fault) {
        switch fault.kind {
        case .delay, .closeAfterResponse, .closeWhenIdle, .bytesAfterResponse:
            return nil
        case .cutBeforeHead:
            self.init([.close])
        case .resetBeforeHead:
            self.init([.reset])
        case .cutMidHead:
            self.init("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Le", thenClose: true)
        case .cutMidBody(let declared, let sent):
            let body = String(repeating: "x", count: max(0, min(sent, declared)))
            self.init("HTTP/1.1 200 OK\r\nContent-Length: \(declared)\r\n\r\n\(body)", thenClose: true)
        case .cutMidChunks:
            self.init("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5\r\nwo", thenClose: true)
        case .garbage:
            self.init([.bytes([0, 1, 2, 255, 254] + Array("this is not HTTP\r\n\r\n".utf8)), .close])
        case .oversizedHead(let bytes):
            let value = String(repeating: "h", count: max(0, bytes))
            self.init("HTTP/1.1 200 OK\r\nX-Large: \(value)\r\nContent-Length: 2\r\n\r\nok")
        case .conflictingLengths:
            self.init("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\nhello", thenClose: true)
        case .lengthAndChunks:
            self.init(
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                thenClose: true)
        case .informationalFlood(let count):
            let interim = String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: max(0, count))
            self.init("\(interim)HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        case .unaskedUpgrade:
            self.init(
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: surprise\r\n\r\nsurprise!",
                thenClose: true)
        case .escapesInReason:
            self.init("HTTP/1.1 403 \u{1B}[2J\u{1B}]0;owned\u{7}Nice\r\nContent-Length: 0\r\n\r\n")
        case .script(let script):
            self = script
        }
    }
}
