"""Games on the page: tables, their messages, and the processes that search for them."""
