import Foundation
import HttpC
import HttpConversationNIO
import TestSupport
import Testing

/// The two clients under test: the library, and the command that uses it.
enum Client: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case library, httpc

    var testDescription: String { rawValue }

    /// The body of a response, and whether its status was a success.
    struct Answer {
        let text: String
        let isSuccess: Bool
    }

    /// Gets a resource, and logs in if asked.
    ///
    /// - Parameter options: options for the command only
    func get(_ url: String, as user: TestUsers.User? = nil, options: [String] = []) async throws -> Answer {
        try await send(url, method: "GET", file: nil, as: user, options: options)
    }

    /// Sends a request, with a file as its body if one is given.
    func send(
        _ url: String, method: String, file: URL?, as user: TestUsers.User? = nil, headers: [String] = [],
        options: [String] = []
    ) async throws -> Answer {
        switch self {
        case .library:
            let manager = try await Library.manager(user)
            var request = try HTTPRequest(HTTPRequest.Method(method) ?? .get, url)
            for header in headers {
                let parts = header.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                if let name = HTTPField.Name(parts[0]) { request.headerFields[name] = parts[1] }
            }
            let response = try await manager.data(for: request, body: file.map { .file($0) })
            return Answer(text: response.text, isSuccess: response.status.code < 400)
        case .httpc:
            var arguments = ["-sS", "-f", "--cacert", try await RealServers.shared.authority().path] + options
            if method != "GET" { arguments += ["-X", method] }
            if let user { arguments += ["-u", "\(user.name):\(user.password)"] }
            for header in headers { arguments += ["-H", header] }
            if let file { arguments += ["-T", file.path] }
            let outcome = try await Program.httpc(arguments + [url])
            guard [0, 22].contains(outcome.status) else {
                throw SetupFailure("httpc \(arguments.last ?? "") ended with \(outcome.status): \(outcome.errors)")
            }
            return Answer(text: outcome.text, isSuccess: outcome.status == 0)
        }
    }
}

/// Managers for the tests.
enum Library {
    /// A manager with a session and a transport of its own that trusts the test authority.
    static func manager(_ user: TestUsers.User? = nil) async throws -> HttpConversationManager {
        guard let user else { return try await manager(provider: CountingProvider(answer: .none)) }
        let credential = UsernamePassword(username: user.name, password: user.password)
        return try await manager(provider: CountingProvider(answer: .credential(credential, persistence: .session)))
    }

    static func manager(provider: CountingProvider) async throws -> HttpConversationManager {
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(provider)
        return HttpConversationManager(transport: try await transport(), configurator)
    }

    /// Managers of users with a certificate each, in sessions of their own over one transport.
    static func certificateManagers(
        _ names: [String], over transport: NIOTransport
    ) async throws -> [String: HttpConversationManager] {
        let base = try await RealServers.shared.directory()
        var managers: [String: HttpConversationManager] = [:]
        for name in names {
            let file = try await base.client(name).appending(path: "client.p12")
            var configurator = CommonAuthenticationConfigurator()
            configurator.add(clientCertificate: IdentityFileProvider(file: file, format: .pkcs12) { _, _ in "secret" })
            managers[name] = HttpConversationManager(transport: transport, configurator)
        }
        return managers
    }

    static func transport(
        _ change: (inout NIOTransport.Configuration) -> Void = { _ in }
    ) async throws -> NIOTransport {
        var configuration = NIOTransport.Configuration()
        configuration.tls.trustRoots = .file(try await RealServers.shared.authority())
        change(&configuration)
        return NIOTransport(configuration: configuration)
    }
}
