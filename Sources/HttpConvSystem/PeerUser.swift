package import HttpConvPlatform

/// The user whose process is at the other end of a TCP connection of this machine.
package enum PeerUser {
    /// Whether this system tells the users of connections.
    package static var isKnown: Bool { readTables().contains { !$0.isEmpty } }

    /// The user of a client's process; nil if the tables do not have the connection.
    ///
    /// - Parameters:
    ///   - client: the client's end of the connection
    ///   - server: this process's end
    ///   - tables: the texts of the kernel's tables
    package static func user(of client: Endpoint?, at server: Endpoint?, in tables: [Data]) -> UInt32? {
        guard let client, let server else { return nil }
        return tables.lazy.compactMap { user(of: client, connectedTo: server, in: $0) }.first
    }

    /// The kernel's tables of connections; empty if this system has none. Blocks.
    package static func readTables() -> [Data] { tables.compactMap { table(at: $0) } }

    /// The address and port of one end.
    package struct Endpoint: Equatable, Sendable {
        /// The address in network order: 4 bytes for IPv4, 16 for IPv6.
        let address: [UInt8]
        let port: Int

        package init(address: [UInt8], port: Int) {
            self.address = address
            self.port = port
        }

        /// - Parameter ipAddress: the text of an address; nil for the end of a Unix socket
        package init?(ipAddress: String?, port: Int?) {
            guard let ipAddress, let port else { return nil }
            let isWide = ipAddress.utf8.contains(UInt8(ascii: ":"))
            var address = [UInt8](repeating: 0, count: isWide ? 16 : 4)
            guard inet_pton(isWide ? AF_INET6 : AF_INET, ipAddress, &address) == 1 else { return nil }
            self.init(address: address, port: port)
        }

        /// The forms of the kernel's tables: words of four bytes in the machine's order. For IPv4 also that of a socket
        /// of IPv6 that reaches an IPv4 address.
        var texts: [String] {
            let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
            return (address.count == 4 ? [address, mapped + address] : [address]).map { bytes in
                let words = bytes.withUnsafeBytes { bytes in
                    stride(from: 0, to: bytes.count, by: 4).map {
                        Self.hexadecimal(bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self), digits: 8)
                    }
                }
                return "\(words.joined()):\(Self.hexadecimal(port, digits: 4))"
            }
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
    package static func user(of client: Endpoint, connectedTo server: Endpoint, in table: Data) -> UInt32? {
        for (client, server) in zip(client.texts, server.texts) {
            // Searched as a whole: the table may have thousands of lines, and is read for each connection.
            guard let row = table.place(of: Data(": \(client) \(server) 01 ".utf8)) else { continue }
            // Behind the state are queues, timer and retransmissions.
            let columns = table[row.upperBound...].prefix { $0 != UInt8(ascii: "\n") }.split(
                separator: UInt8(ascii: " "))
            return columns.dropFirst(3).first.map { String(decoding: $0, as: UTF8.self) }.flatMap { UInt32($0) }
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
