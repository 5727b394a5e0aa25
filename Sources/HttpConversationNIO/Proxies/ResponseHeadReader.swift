import HTTPTypes
import HttpConvFormats
import HttpConversation
import NIOCore

/// Reads the head of a response (RFC 9112 §4, §5) and not a byte more: the next bytes may be the server's.
struct ResponseHeadReader: Sendable {
    /// The reason why the bytes are not such a head.
    enum Fault: Error, Equatable, CustomStringConvertible {
        case notHTTP, tooLarge, invalidStatus, invalidField

        var description: String {
            switch self {
            case .notHTTP: "what it says is not HTTP"
            case .tooLarge:
                "the head of its answer is larger than the limit (maximumHeadBytes of the transport's configuration)"
            case .invalidStatus: "the status line of its answer is not valid"
            case .invalidField: "its answer has an invalid header field"
            }
        }
    }

    private static let maximumFields = 1000
    private let maximumBytes: Int
    private var taken = 0
    private var line: [UInt8] = []
    /// The last field, which may continue in the next line (obs-fold, RFC 9112 §5.2).
    private var field: [UInt8] = []
    private var status: (HTTPResponse.Status, ProtocolVersion)?
    private var fields = HTTPFields()

    /// - Parameter maximumBytes: the limit for all heads together
    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// Reads the next head. Returns nil until all of it has arrived.
    mutating func read(_ buffer: inout ByteBuffer) throws(Fault) -> (HTTPResponse, ProtocolVersion)? {
        while let byte = buffer.readInteger(as: UInt8.self) {
            taken += 1
            guard taken <= maximumBytes else { throw .tooLarge }
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                if status == nil { try checkStart() }
                continue
            }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            defer { line.removeAll(keepingCapacity: true) }
            guard let (status, version) = status else {
                self.status = try Self.status(line)
                continue
            }
            if let first = line.first, first == 0x20 || first == 0x09 {
                guard !field.isEmpty else { throw .invalidField }
                field += [0x20] + line
                continue
            }
            try addField()
            guard line.isEmpty else {
                guard fields.count < Self.maximumFields else { throw .invalidField }
                field = line
                continue
            }
            defer { reset() }
            return (HTTPResponse(status: status, headerFields: fields), version)
        }
        return nil
    }

    private mutating func reset() {
        status = nil
        fields = HTTPFields()
    }

    /// Refuses a peer at once if it speaks another protocol.
    private func checkStart() throws(Fault) {
        let start = Array("HTTP/1.".utf8)
        guard line.prefix(start.count).elementsEqual(start.prefix(line.count)) else { throw .notHTTP }
    }

    /// Parses `HTTP/1.x SP 3DIGIT [SP reason]`. Many servers leave out the second space with the reason.
    private static func status(_ line: [UInt8]) throws(Fault) -> (HTTPResponse.Status, ProtocolVersion) {
        guard line.count >= 12, isDigit(line[7]), line[8] == UInt8(ascii: " "), line[9...11].allSatisfy(isDigit),
            line.count == 12 || line[12] == UInt8(ascii: " "), isText(line[9...])
        else { throw .invalidStatus }
        let code = line[9...11].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard code >= 100 else { throw .invalidStatus }
        let reason = String(decoding: line.dropFirst(13), as: UTF8.self)
        return (
            HTTPResponse.Status(code: code, reasonPhrase: reason),
            ProtocolVersion(major: 1, minor: Int(line[7] - UInt8(ascii: "0")))
        )
    }

    private mutating func addField() throws(Fault) {
        guard !field.isEmpty else { return }
        defer { field.removeAll(keepingCapacity: true) }
        guard let colon = field.firstIndex(of: UInt8(ascii: ":")), Self.isText(field[colon...]),
            fields.count < Self.maximumFields,
            let name = HTTPField.Name(String(decoding: field[..<colon], as: UTF8.self))
        else { throw .invalidField }
        let value = String(decoding: field[(colon + 1)...], as: UTF8.self).trimmingSpaces
        fields.append(HTTPField(name: name, value: String(value)))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    }
}
