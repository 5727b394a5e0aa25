import HTTPTypes
import HummingbirdCore

/// The login page of the sites and of their identity provider.
enum SiteLoginPage {
    static func response(token: String, message: String?, status: HTTPResponse.Status = .ok) -> Response {
        let content = """
            \(message.map { "<p class=\"error\" role=\"alert\">\($0)</p>" } ?? "")
            <form method="post">
            <input type="hidden" name="token" value="\(token)">
            <p><label>User name <input name="user" required autofocus></label></p>
            <p><label>Password <input name="password" type="password" required></label></p>
            <p><button>Log in</button></p>
            </form>
            """
        return SAMLPage.response(SAMLPage.page(title: "Log in", content: content), status: status)
    }
}
