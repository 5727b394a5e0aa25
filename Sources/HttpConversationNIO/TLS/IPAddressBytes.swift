import NIOCore

/// The bytes of an IP address, as certificates contain them.
enum IPAddressBytes {
    static func parse(_ literal: String) -> [UInt8]? {
        switch try? SocketAddress(ipAddress: literal, port: 0) {
        case .v4(let address): withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
        case .v6(let address): withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
        default: nil
        }
    }
}
