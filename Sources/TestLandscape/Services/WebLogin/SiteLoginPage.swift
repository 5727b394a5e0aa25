import HTTPTypes
import HummingbirdCore

/// The login page of the sites and of their identity provider.
enum SiteLoginPage {
    /// - Parameter isScripted: whether a script makes the form
    static func response(
        token: String, message: String?, status: HTTPResponse.Status = .ok, isScripted: Bool = false
    ) -> Response {
        let content = """
            \(message.map { "<p class=\"error\" role=\"alert\">\($0)</p>" } ?? "")
            <form method="post">
            <input type="hidden" name="token" value="\(token)">
            <p><label>User name <input name="user" required autofocus></label></p>
            <p><label>Password <input name="password" type="password" required></label></p>
            <p><button>Log in</button></p>
            </form>
            """
        let script = "<script>document.body.insertAdjacentHTML('beforeend', `\(content)`)</script>"
        return SAMLPage.response(
            SAMLPage.page(title: "Log in", content: isScripted ? script : content), status: status)
    }
}
