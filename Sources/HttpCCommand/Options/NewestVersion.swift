import ArgumentParser
import HttpC

/// The newest HTTP version that a server is offered.
enum NewestVersion: String, EnumerableFlag {
    case http11
    case http2

    static func name(for value: NewestVersion) -> NameSpecification {
        .customLong(value == .http2 ? "http2" : "http1.1")
    }

    static func help(for value: NewestVersion) -> ArgumentHelp? {
        value == .http2 ? "Speaks HTTP/2 where the server does, over https (the default)." : "Speaks HTTP/1.1 only."
    }

    var version: ProtocolVersion { self == .http2 ? .http2 : .http11 }
}
