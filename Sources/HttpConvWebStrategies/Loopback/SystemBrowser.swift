#if os(Linux) || os(macOS)
public import HttpConvAuthFlows
public import HttpConvPlatform

#if os(Linux)
import HttpConvSystem
#endif

/// Opens web pages in the person's browser, without a shell: `xdg-open` on Linux, `open` on macOS.
public struct SystemBrowser: ExternalURLOpener {
    private let program: String
    private let environment: [String: String]

    /// Uses the system's program for opening pages.
    public init() {
        #if os(macOS)
        self.init(program: "/usr/bin/open")
        #else
        self.init(program: "/usr/bin/xdg-open")
        #endif
    }

    /// Uses another program, which gets the URL as its only argument.
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
        do { try await start(text) } catch let error as OAuth2Error { throw error } catch {
            throw OAuth2Error(
                .loginFailed, "The system's browser could not be started: is \(program) installed?",
                underlyingError: error)
        }
    }

    #if os(Linux)
    private func start(_ url: String) async throws {
        let process = try SpawnedProcess(
            URL(filePath: program).path(percentEncoded: false), [url], environment: environment)
        // Without a browser the program fails at once (xdg-open(1): 3 and 4). If it keeps running, it is the browser.
        guard await process.hasEnded(within: .seconds(1)), await process.status != 0 else { return }
        throw OAuth2Error(
            .loginFailed,
            "\(program) could not open the login's page: is there a browser, and a display for it? On a machine without one, log in with another grant, such as .deviceAuthorization (a code for another device)."
        )
    }
    #else
    private func start(_ url: String) async throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = [url]
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }
    #endif
}
#endif
