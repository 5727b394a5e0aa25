import HttpC
import Logon

/// The logon that a request goes by.
struct RequestLogon: Sendable {
    /// Configures the request's manager.
    let configurator: LogonConfigurator
    private let shared: SharedLogon

    /// The vault is open where another process has left its key; else whoever is there is asked when it is needed.
    ///
    /// - Throws: where nothing is registered
    init(
        _ profile: Profile, _ mobile: MobileLogon, _ client: Client, _ web: ProfileWeb, _ diagnostics: Diagnostics
    ) async throws(CommandFailure) {
        let shared = try SharedLogon(profile, mobile, client, web)
        guard await shared.logon.state != .nothing else { throw LogonDialogue.notRegistered(profile.name) }
        do throws(LogonError) { try await shared.takeUp() } catch { throw CommandFailure(error) }
        self.shared = shared
        let logon = shared.logon
        configurator = logon.configurator.asking(
            SharedUnlocker(shared: shared) {
                LogonDialogue.prepared(for: logon, profile, passcode: mobile.passcode, diagnostics)
            })
    }

    /// The identity that its requests have.
    var session: HttpSession { HttpConversationManager.Configuration(applying: [configurator]).session }

    /// Leaves what the request has got of sessions for others.
    func leaveSession() async throws(CommandFailure) {
        do throws(LogonError) { try await shared.leaveSession() } catch { throw CommandFailure(error) }
    }
}
