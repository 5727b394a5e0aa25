import ArgumentParser
import HttpConversationNIO

/// The only family of addresses for connections.
enum AddressFamilyFlag: String, EnumerableFlag {
    case ipv4
    case ipv6

    static func name(for value: AddressFamilyFlag) -> NameSpecification {
        [.customShort(value == .ipv4 ? "4" : "6"), .customLong(value.rawValue)]
    }

    static func help(for value: AddressFamilyFlag) -> ArgumentHelp? {
        value == .ipv4 ? "Connects to IPv4 addresses only." : "Connects to IPv6 addresses only."
    }

    var family: NIOTransport.AddressFamily { self == .ipv4 ? .ipv4 : .ipv6 }
}
