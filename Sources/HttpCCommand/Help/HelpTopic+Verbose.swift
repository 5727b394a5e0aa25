extension HelpTopic {
    static let verboseText = """
        VERBOSE
          -v writes a sentence for each step to standard error: the request, the answer,
          the login that the server wants and its source, the changes of the next try,
          and the time it took. All commands with -v do the same.

            $ httpc -v -u alice:… -o page https://intra.example.com/app/
            * GET https://intra.example.com/app/
            * Connected to 192.0.2.7:443 in 11.2 ms, TLS 1.3 in 24.0 ms, HTTP/2.
            * The server's certificate: CN=intra.example.com, issued by CN=Example CA,
              valid until 2027-03-01.
            * 401 Unauthorized (48.9 ms): wants user name and password for "x" (Basic).
            * Again, now with user name and password of -u (Basic).
            * 200 OK (9.4 ms, connection reused).
            * Done after 61.3 ms: 5120 bytes of text/html.

          The time of an answer ends with its head. Indented sentences belong to a login
          or a token that the request needs. With -Z each transfer has a number.

          -vv, or -v -v, shows the heads of requests (>) and answers (<) as well.

          Neither shows a secret. Cookies and query parameters are shown by name, logins
          by kind, harmless fields as they are, and other fields by their length.
        """
}
