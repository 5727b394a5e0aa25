#if os(Linux) || os(macOS)
public import Foundation
public import HttpConvAuthFlows

/// Opens web pages in the person's browser: `xdg-open` on Linux, `open` on macOS, without a shell in between.
public struct SystemBrowser: ExternalURLOpener {
    private let program: String
    private let environment: [String: String]

    /// The system's own way of opening pages.
    public init() {
        #if os(macOS)
        self.init(program: "/usr/bin/open")
        #else
        self.init(program: "/usr/bin/xdg-open")
        #endif
    }

    /// Another program, which gets the URL as its only argument.
    public init(program: String) { self.init(program: program, environment: ProcessInfo.processInfo.environment) }

    init(program: String, environment: [String: String]) {
        self.program = program
        self.environment = BrowserEnvironment.scrubbed(environment)
    }

    /// Opens an http or https page.
    ///
    /// - Throws: ``/HttpConvAuthFlows/OAuth2Error/Code/loginFailed``
    public func open(_ url: URL) async throws {
        let text = url.absoluteString
        guard ["http", "https"].contains(url.scheme?.lowercased() ?? "") else {
            throw OAuth2Error(.loginFailed, "Only http and https pages are opened in the system's browser.")
        }
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = [text]
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch {
            throw OAuth2Error(
                .loginFailed, "The system's browser could not be started: is \(program) installed?",
                underlyingError: error)
        }
    }
}
#endif
