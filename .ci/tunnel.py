"""A proxy that responds to CONNECT only. It prints its address, and logs received data in the named file."""
import socket
import sys
import threading


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(client):
    head = b""
    while b"\r\n\r\n" not in head:
        data = client.recv(65536)
        if not data:
            return
        head += data
    with open(sys.argv[1], "ab") as log:
        log.write(head)
    host, port = head.split()[1].rsplit(b":", 1)
    server = socket.create_connection((host.decode(), int(port)))
    client.sendall(b"HTTP/1.1 200 Connected\r\nX-From-Proxy: yes\r\nContent-Type: text/made-up\r\n\r\n")
    threading.Thread(target=copy, args=(client, server), daemon=True).start()
    copy(server, client)


listener = socket.create_server(("127.0.0.1", 0))
print("http://127.0.0.1:%d" % listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
