import Foundation
public import HttpConversation

/// The application that makes one-time codes, while a one-time-code form is shown (the guide's chapter on two factors).
///
/// The form's page has a link to it; it comes back with the code in a call-back URL, which reaches this process through
/// ``CustomURLSchemeManagement/handleOpenURL(_:)``.
public struct CodeAuthenticator: Sendable {
    /// The only scheme that is handed to the operating system.
    public static let scheme = "sapauthenticator"
    /// How the scheme of a call-back ends.
    public static let callbackSuffix = ".xcallbackurl"

    /// The codes that come back while the form is shown, to be filled in; for one consumer.
    public let passcodes: AsyncStream<Redacted<String>>
    private let opener: (any ExternalURLOpener)?

    init(passcodes: AsyncStream<Redacted<String>>, opener: (any ExternalURLOpener)?) {
        self.passcodes = passcodes
        self.opener = opener
    }

    /// Opens a link of the page in the other application.
    ///
    /// - Returns: false where nothing was done: a link of another scheme, or nothing to open it with
    public func open(_ link: String) async throws -> Bool {
        guard let opener, let url = URL(string: link), url.scheme?.lowercased() == Self.scheme else { return false }
        try await opener.open(url)
        return true
    }

    /// Lets a form be shown that takes codes from call-backs as long as the body runs.
    ///
    /// - Parameter parameter: the name of the code in the call-back's query
    static func using<Result>(
        _ web: WebLoginEnvironment, parameter: String, _ body: (CodeAuthenticator) async throws -> Result
    ) async throws -> Result {
        let (passcodes, continuation) = AsyncStream<Redacted<String>>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = web.schemes.addHandler(Receiver(parameter: parameter, continuation: continuation))
        defer {
            web.schemes.removeHandler(number)
            continuation.finish()
        }
        return try await body(CodeAuthenticator(passcodes: passcodes, opener: web.opener))
    }

    private struct Receiver: CustomURLSchemeHandler {
        let parameter: String
        let continuation: AsyncStream<Redacted<String>>.Continuation

        func handle(_ url: URL) -> Bool {
            guard url.scheme?.lowercased().hasSuffix(CodeAuthenticator.callbackSuffix) == true,
                let code = FormEncoding.query(of: url.absoluteString).first(where: { $0.name == parameter })?.value,
                !code.isEmpty
            else { return false }
            continuation.yield(Redacted(code))
            return true
        }
    }
}
