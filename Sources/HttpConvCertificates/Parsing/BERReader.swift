import SwiftASN1

/// Reads the elements of a sequence one by one. Accepts BER, because some programs write PKCS#12 files in BER.
struct BERReader {
    /// The bytes do not have the expected structure.
    struct Malformed: Error {}

    /// The largest input, in bytes: longer than any certificate, key or PKCS#12 file. Parsing needs about a hundred
    /// bytes of memory for each element of two bytes.
    static let maximumBytes = 128 << 10

    private var rest: ASN1NodeCollection.Iterator

    init(_ node: ASN1Node, _ identifier: ASN1Identifier = .sequence) throws {
        guard node.identifier == identifier, case .constructed(let nodes) = node.content else { throw Malformed() }
        rest = nodes.makeIterator()
    }

    /// Reads the elements of a sequence from its encoding.
    init(sequence bytes: [UInt8]) throws {
        guard !bytes.isEmpty, bytes.count <= Self.maximumBytes else { throw Malformed() }
        try self.init(BER.parse(bytes))
    }

    mutating func next() -> ASN1Node? { rest.next() }

    mutating func node() throws -> ASN1Node {
        guard let node = rest.next() else { throw Malformed() }
        return node
    }

    /// The elements that are left.
    mutating func remaining() -> [ASN1Node] {
        var nodes: [ASN1Node] = []
        while let node = rest.next() { nodes.append(node) }
        return nodes
    }

    mutating func sequence() throws -> BERReader { try BERReader(node()) }

    mutating func oid() throws -> ASN1ObjectIdentifier { try ASN1ObjectIdentifier(berEncoded: node()) }

    mutating func octets() throws -> [UInt8] { try Self.octets(node()) }

    mutating func integer() throws -> Int { try Int(berEncoded: node()) }

    /// The content of `[0] EXPLICIT`.
    mutating func explicit() throws -> ASN1Node {
        var inner = try BERReader(node(), Self.contextZero)
        return try inner.node()
    }

    static let contextZero = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)

    /// The bytes of an octet string, whole or in pieces (X.690 §8.7), whatever its tag.
    static func octets(_ node: ASN1Node) throws -> [UInt8] {
        switch node.content {
        case .primitive(let bytes): return Array(bytes)
        case .constructed(let pieces):
            var bytes: [UInt8] = []
            for piece in pieces {
                guard piece.identifier == .octetString else { throw Malformed() }
                bytes += try octets(piece)
            }
            return bytes
        }
    }
}
