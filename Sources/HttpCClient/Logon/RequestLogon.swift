import HttpC
import HttpCTerminal
import HttpConvLogon
import HttpConvLogonScreens

/// The logon of a request.
struct RequestLogon: Sendable {
    /// Configures the request's manager.
    let configurator: LogonConfigurator
    private let shared: SharedLogon

    /// Opens the vault with the key of another process if there is one. Otherwise the person is asked when the vault is
    /// needed.
    ///
    /// - Parameter account: the account of the command line
    /// - Throws: ``CommandFailure`` if nothing is registered
    init(
        _ profile: Profile, _ mobile: LogonTable, account: String?, _ client: Client, _ web: ProfileWeb,
        _ diagnostics: Diagnostics
    ) async throws(CommandFailure) {
        let shared = try await SharedLogon(profile, mobile, .known(account ?? mobile.account), client, web)
        guard await shared.logon.state != .nothing else { throw shared.notRegistered }
        do throws(LogonError) { try await shared.unlockWithSharedKey() } catch { throw CommandFailure(error) }
        self.shared = shared
        let logon = shared.logon
        configurator = logon.configurator.asking(
            SharedUnlocker(shared: shared) {
                LogonDialogue(
                    logon: logon, view: PreparedLogonView(profile, passcode: mobile.passcode, diagnostics))
            })
    }

    /// Adds the cookies of `-b`, which the vault does not keep (security rule S16).
    func use(_ cookies: [Cookie]) async { await shared.logon.use(cookies) }

    /// The session of its requests.
    var session: HttpSession { HttpConversationManager.Configuration(applying: [configurator]).session }

    /// Stores the request's sessions for other processes.
    func shareSession() async throws(CommandFailure) {
        do throws(LogonError) { try await shared.shareSession() } catch { throw CommandFailure(error) }
    }
}
