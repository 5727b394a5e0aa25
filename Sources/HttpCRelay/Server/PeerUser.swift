import HttpConvFormats
import HttpConvPlatform
import HttpConvSystem
import NIOCore

/// The user whose process is at the other end of a TCP connection of this machine.
enum PeerUser {
    /// Whether this system tells the users of connections.
    static var isKnown: Bool { readTables().contains { !$0.isEmpty } }

    /// The user of a client's process; nil if the tables do not have the connection.
    ///
    /// - Parameters:
    ///   - client: the client's address and port
    ///   - server: this process's address and port of the connection
    ///   - tables: the texts of the kernel's tables
    static func user(of client: SocketAddress, at server: SocketAddress, in tables: [Data]) -> UInt32? {
        guard let client = Endpoint(client), let server = Endpoint(server) else { return nil }
        return tables.lazy.compactMap { user(of: client, connectedTo: server, in: $0) }.first
    }

    /// The kernel's tables of connections; empty if this system has none. Blocks.
    static func readTables() -> [Data] { tables.compactMap { table(at: $0) } }

    /// The IPv4 address and port of one end.
    struct Endpoint: Equatable {
        /// The address in network order.
        let address: [UInt8]
        let port: Int

        init(address: [UInt8], port: Int) {
            self.address = address
            self.port = port
        }

        init?(_ socket: SocketAddress) {
            guard case .v4(let address) = socket, let port = socket.port else { return nil }
            self.address = withUnsafeBytes(of: address.address.sin_addr.s_addr) { Array($0) }
            self.port = port
        }

        /// The forms of the kernel's tables: words of four bytes in the machine's order; also for a socket of IPv6 that
        /// reaches an IPv4 address.
        var texts: [String] {
            let word = address.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
            let wide: [UInt32] = [0, 0, (0xFFFF as UInt32).bigEndian, word]
            let port = Self.hexadecimal(port, digits: 4)
            return [
                "\(Self.hexadecimal(word, digits: 8)):\(port)",
                "\(wide.map { Self.hexadecimal($0, digits: 8) }.joined()):\(port)",
            ]
        }

        private static func hexadecimal(_ number: some BinaryInteger, digits: Int) -> String {
            let text = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
        }
    }

    /// The user of the established connection from one end to the other; nil without one. A connection in another state
    /// may have lost its process, and then has the user 0.
    ///
    /// - Parameter table: the text of /proc/net/tcp or tcp6
    static func user(of client: Endpoint, connectedTo server: Endpoint, in table: Data) -> UInt32? {
        for (client, server) in zip(client.texts, server.texts) {
            // Searched as a whole: the table may have thousands of lines, and is read for each connection.
            guard let row = table.place(of: Data(": \(client) \(server) 01 ".utf8)) else { continue }
            // Behind the state are queues, timer and retransmissions.
            let columns = table[row.upperBound...].prefix { $0 != UInt8(ascii: "\n") }.split(
                separator: UInt8(ascii: " "))
            return columns.count > 3 ? PeerNumber.integer(columns[3], in: 0...UInt32.max) : nil
        }
        return nil
    }

    private static let tables = ["/proc/net/tcp", "/proc/net/tcp6"]
    /// More bytes than the table of a million connections needs are not read.
    private static let longestTable = 256 << 20

    private static func table(at path: String) -> Data? {
        let bytes = SystemCalls.read(file: path, atMost: longestTable)
        return bytes.flatMap { $0.count < longestTable ? Data($0) : nil }
    }
}
