import Foundation
import HttpConvSystem
import NIOCore
import Testing

@Suite struct PeerUserTests {
    private let client = PeerUser.Endpoint(address: [127, 0, 0, 1], port: 0xD431)
    private let server = PeerUser.Endpoint(address: [127, 0, 0, 1], port: 0x1F90)

    private static let header =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

    private func user(_ rows: String...) -> UInt32? {
        PeerUser.user(of: client, connectedTo: server, in: Data((Self.header + rows.joined(separator: "\n")).utf8))
    }

    @Test func theRowOfTheClientHasItsUser() {
        #expect(
            user(
                "   0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0",
                // The server's own end.
                "   1: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000     7        0 2 1 0",
                "  12: 0100007F:D431 0100007F:1F90 01 00000000:00000000 02:000004E2 00000000  1000        0 3 2 0")
                == 1000)
    }

    @Test func aClientOfIPv6IsFoundByItsMappedAddress() {
        #expect(
            user(
                "   0: 0000000000000000FFFF00000100007F:D431 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 3 2 0"
            ) == 1001)
    }

    /// Ends of connections whose process is gone have the user 0.
    @Test(arguments: ["04", "05", "06", "08", "0A", "02"]) func otherStatesTellNothing(state: String) {
        #expect(
            user(
                "   0: 0100007F:D431 0100007F:1F90 \(state) 00000000:00000000 00:00000000 00000000     0        0 3 2 0"
            )
                == nil)
    }

    @Test(arguments: [
        "", "   0:", "   0: 0100007F:D431 0100007F:1F90 01 ", "   0: 0100007F:D431 0100007F:1F90 01 a b c x",
        "   0: 0100007F:D431 0100007F:1F90 01 a b c -1", "   0: 0100007F:D431 0100007F:1F90 01 a b c 4294967296",
        "   0: 0100007F:D432 0100007F:1F90 01 a b c 0", "   0: 0200007F:D431 0100007F:1F90 01 a b c 0",
    ])
    func otherRowsTellNothing(row: String) {
        #expect(user(row) == nil)
    }

    @Test func addressesAreReadAsTheyAre() throws {
        func end(_ address: SocketAddress) -> PeerUser.Endpoint? {
            PeerUser.Endpoint(ipAddress: address.ipAddress, port: address.port)
        }
        #expect(end(try SocketAddress(ipAddress: "127.0.0.1", port: 0xD431)) == client)
        let wide = PeerUser.Endpoint(address: [UInt8](repeating: 0, count: 15) + [1], port: 1)
        #expect(end(try SocketAddress(ipAddress: "::1", port: 1)) == wide)
        #expect(end(try SocketAddress(unixDomainSocketPath: "/x")) == nil)
    }

    @Test func aConnectionOfIPv6HasItsUser() throws {
        let row =
            "   0: 00000000000000000000000001000000:D431 00000000000000000000000001000000:1F90 01 a b c 1002 0 3 2 0"
        let ends = try [0xD431, 0x1F90].map { try #require(PeerUser.Endpoint(ipAddress: "::1", port: $0)) }
        let table = Data((Self.header + row).utf8)
        #expect(PeerUser.user(of: ends[0], connectedTo: ends[1], in: table) == 1002)
        #expect(PeerUser.user(of: ends[1], connectedTo: ends[0], in: table) == nil)
    }
}
