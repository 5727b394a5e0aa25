public import HTTPTypes
public import HttpConversation

extension WebLoginPolicy {
    /// Something that happens in a view.
    public enum Event: Sendable {
        /// A frame is about to load a URL of any scheme, with a request of this method.
        case navigation(to: String, method: HTTPRequest.Method = .get, NavigationKind, isMainFrame: Bool)
        /// A page opens a URL in a new window.
        case newWindow(String)
        /// The head of the final response has arrived, after all redirects.
        case response(from: String, status: Int, fields: HTTPFields = [:], isMainFrame: Bool)
        /// The main frame shows the page of this URL.
        case arrived(String)
        /// A server or proxy asks for a user name and password. If the providers have already answered for another
        /// request, the action is ``Action/logIn(_:)``.
        case challenge(Challenge)
        /// The conversation's providers have answered a challenge.
        case answer(ProvidedCredential, to: WebViewChallenge)
        /// A server asks for a client certificate in the TLS handshake.
        case certificateRequest(Origin)
        /// A page or frame is about to send a request. Optional: for views that can have the conversation send it.
        ///
        /// - Parameter isReadable: whether the view knows the request well enough to have it sent
        case request(to: TargetURL, by: Requester, isReadable: Bool)
        /// A page shows a dialog.
        case dialog(Dialog)
        /// A response is to be saved as a file.
        case download(String)
        /// A page could not be loaded. The detail is the view's own name for the failure. During a trial, the failure
        /// counts only if the trial fails.
        case failed(Failure, detail: String, isMainFrame: Bool)
        /// The view was closed, by the person or by the page.
        case closed
        /// The view's process has ended.
        case crashed
        /// A trial has ended: whether the login is done.
        case tried(Bool)
    }

    /// The reaction of the view.
    public enum Action: Sendable {
        /// The view goes on.
        case allow
        /// The view refuses the navigation, download, dialog or challenge, and stays at its page.
        case refuse
        /// The view ends the login with this URL and its cookies, and loads nothing more.
        case finish(String)
        /// The view gives its cookies to ``WebLoginTrial/attempt(_:)``, leaves the page alone meanwhile, and reports
        /// the result.
        case tryResource
        /// The view opens the link with ``CodeAuthenticator/open(_:from:)``, and stays at this page.
        case openApplication(String, from: TargetURL)
        /// The view asks the conversation's providers by `ConversationContext.answer(to:previousFailures:)`,
        /// and reports the answer.
        case askProviders(WebViewChallenge, previousFailures: Int)
        /// The view answers the challenge.
        case logIn(UsernamePassword)
        /// The view asks the person for a user name and password.
        case askPerson
        /// The view presents the client certificate of the conversation's providers, if they have one for the server.
        case presentIdentity(Origin)
        /// The conversation sends the request.
        ///
        /// - Parameter isAnonymous: whether it sends it without client certificate, cookies and passwords of its own
        case delegate(isAnonymous: Bool)
        /// The view closes a dialog.
        case closeDialog(isAccepted: Bool)
        /// The view ends the login with an error.
        case fail(WebLoginError)
    }
}
